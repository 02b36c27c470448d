// What folders of the page may know of each other: pages share what is in `ui`, and know no other page.

import { readFileSync, readdirSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';

import { expect, test } from 'vitest';

const SOURCES = import.meta.dirname;
/** Each knows those before it only; every other folder is a page, which knows all of them. */
const SHARED = ['texts', 'time', 'units', 'api', 'ui'];

/** The folder of a file below the sources; empty for the files that put the page together. */
const folderOf = (file: string) => (file.includes(sep) ? (file.split(sep)[0] ?? '') : '');

/** Pairs of a file and a folder that it imports from, other than its own. */
function imports(): [file: string, folder: string][] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((it) => /\.(ts|svelte)$/.test(it));
  return files.flatMap((file) => {
    const text = readFileSync(join(SOURCES, file), 'utf8');
    const targets = [...text.matchAll(/\b(?:from|import)\b[\s(]*['"](\.[^'"]*)['"]/g)];
    return targets
      .map(([, target = '']): [string, string] => [file, folderOf(normalize(join(file, '..', target)))])
      .filter(([, folder]) => folder !== folderOf(file));
  });
}

test('folders know only those below them, so that there is no cycle', () => {
  const level = (folder: string) => {
    if (folder === '') return SHARED.length + 1;
    const at = SHARED.indexOf(folder);
    return at === -1 ? SHARED.length : at;
  };
  const all = imports();
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(([file, folder]) => level(folder) >= level(folderOf(file)))).toEqual([]);
});
