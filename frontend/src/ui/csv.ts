// Tables as comma-separated text (RFC 4180).

export type Cell = string | number | null;

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Rows as text, the first with the names of the columns; what is not known is empty. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => row.map((cell) => quoted(cell === null ? '' : String(cell))).join(',')).join('\n') + '\n';
