/** `a, b et c` */
export const list = (parts: readonly string[]) => parts.join(', ').replace(/, (?!.*, )/, ' et ');
