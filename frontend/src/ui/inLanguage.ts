// Parts of the catalogue that have names of their own.

/** A part of the catalogue that is looked up when something of it is read, so that it is always in the language that is shown. */
export function inLanguage<T extends object>(part: () => T): T {
  return new Proxy({} as T, {
    get: (_, key): unknown => Reflect.get(part(), key),
    has: (_, key) => Reflect.has(part(), key),
    ownKeys: () => Reflect.ownKeys(part()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(part(), key),
  });
}
