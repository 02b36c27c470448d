const numbers = new Intl.NumberFormat('en-GB');

/** `1 node`, `12,000 nodes` */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}
