/** Hands text to the browser as a file. */
export function download(name: string, kind: string, text: string): void {
  save(name, new Blob([text], { type: kind }));
}

/** Hands a file to the browser. */
export function save(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
