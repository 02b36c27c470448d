// Fails unless the compressed files of `dist` hold what the plain ones do, and the first page is small.
// (Their bytes may differ from one version of Node to the next; what they hold may not.)
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const FIRST_PAGE_BYTES = 200_000;
const dist = new URL('../dist', import.meta.url).pathname;
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const plain = files.filter((file) => !/\.(br|gz)$/.test(file));

for (const file of plain) {
  const bytes = readFileSync(file);
  const same =
    brotliDecompressSync(readFileSync(`${file}.br`)).equals(bytes) &&
    gunzipSync(readFileSync(`${file}.gz`)).equals(bytes);
  if (!same) throw new Error(`${file}: the compressed file holds something else; run npm run build`);
}

// Everything together is more than any first page loads.
const gzip = plain.reduce((sum, file) => sum + readFileSync(`${file}.gz`).length, 0);
console.log(`${plain.length} files, ${gzip} bytes compressed`);
if (gzip > FIRST_PAGE_BYTES) throw new Error(`more than ${FIRST_PAGE_BYTES} bytes compressed`);
