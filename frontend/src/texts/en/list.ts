/** `a, b and c` */
export const list = (parts: readonly string[]) => parts.join(', ').replace(/, (?!.*, )/, ' and ');
