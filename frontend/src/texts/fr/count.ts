const numbers = new Intl.NumberFormat('fr-FR');

/** `1 nœud`, `12 000 nœuds`; nothing and one are singular. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${numbers.format(number)} ${Math.abs(number) < 2 ? one : many}`;
}
