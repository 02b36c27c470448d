// What the API says, in English, inside of what the page says in its own language. It is put between the characters that Unicode
// has for words of their own direction and language, so that it can be marked wherever the sentence is shown.

const [BEGIN, END] = ['\u2068', '\u2069'];

export interface Part {
  text: string;
  isSaid: boolean;
}

/** Words of the API, to be put into any text. */
export const said = (text: string): string => (text === '' ? '' : `${BEGIN}${text}${END}`);

/** A text in its parts: words of the page, and words of the API. */
export function partsOf(text: string): Part[] {
  return text
    .split(new RegExp(`(${BEGIN}[^${END}]*${END})`))
    .map((part) => ({ text: plain(part), isSaid: part.startsWith(BEGIN) }))
    .filter((part) => part.text !== '');
}

/** A text without marks, for what cannot show them. */
export const plain = (text: string): string => text.replace(new RegExp(`[${BEGIN}${END}]`, 'g'), '');
