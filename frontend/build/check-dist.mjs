// Fails unless the compressed files of `dist` hold what the plain ones do, and the first page is small.
// (Their bytes may differ from one version of Node to the next; what they hold may not.)
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const FIRST_PAGE_BYTES = 132_000;
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

// The first page loads the entry, one page, what these import, and at most all styles.
const size = (file) => readFileSync(`${file}.gz`).length;
const sum = (of) => of.reduce((all, file) => all + size(file), 0);
const scripts = plain.filter((file) => file.endsWith('.js'));
const imports = (file) => [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map((it) => join(dist, 'assets', it[1]));
function loadedBy(file, loaded = new Set()) {
  if (!loaded.has(file)) {
    loaded.add(file);
    imports(file).forEach((it) => loadedBy(it, loaded));
  }
  return loaded;
}
const entry = scripts.find((file) => readFileSync(join(dist, 'index.html'), 'utf8').includes(basename(file)));
if (!entry) throw new Error('index.html names no script');
const rest = sum(plain.filter((file) => !file.endsWith('.js')));
const first = Math.max(...scripts.map((file) => rest + sum([...loadedBy(file, loadedBy(entry))])));
console.log(`${plain.length} files, ${sum(plain)} bytes compressed, of which a first page loads at most ${first}`);
if (first > FIRST_PAGE_BYTES) throw new Error(`more than ${FIRST_PAGE_BYTES} bytes compressed`);
