// Texts that people read are in this folder, in every language, and nowhere else.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'svelte/compiler';
import { expect, test } from 'vitest';

import { AGREEMENT } from './agreement';
import { en } from './en';
import { fr } from './fr';
import { readLanguage } from './language.svelte';

const SOURCES = join(import.meta.dirname, '..');
/** Attributes that people read; others are read only where they have two words or more, and some never. */
const READ = /^(title|alt|placeholder|aria-(label|roledescription|description)|label|hint|question|yes|no|words|text|heading|summary|legend)$/;
const UNREAD = /^(class|id|for|name|type|role|rel|lang|href|target|autocomplete|inputmode|form|d|points|transform|viewBox|fill|stroke.*|text-anchor|preserveAspectRatio|aria-(labelledby|describedby|controls|current|live|haspopup|autocomplete))$/;
/** The same in every language: names, units, what is typed. */
const SAME = /^(Wattbook|Slurm|CSV|PNG|CO₂|min|kWh|kW|MWh|MW|EUR|UTC|SMTP|ID|JSON|SWF|OpenADR|px)$/;

interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null && typeof (it as Node).type === 'string';
const words = (text: string) => (text.match(/\p{L}[\p{L}’'₂]+/gu) ?? []).filter((word) => !SAME.test(word));

/** Texts in a tree of syntax that stand where people read them and have so many words. */
function textsIn(node: Node, least = 1): string[] {
  if (node.type === 'ImportDeclaration' || node.type === 'StyleSheet' || node.type === 'Comment') return [];
  if (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)Expression$/.test(node.type)) return [];
  if (node.type === 'Attribute' && UNREAD.test(String(node.name))) return [];
  if (node.type === 'RegularElement' && /^(code|kbd|pre)$/.test(String(node.name))) return [];
  if (node.type === 'Text') return words(String(node.data)).length >= least ? [String(node.data).trim()] : [];
  // In code a text that people read has two words or more; shorter ones are mostly names and keys.
  const raw = node.type === 'TemplateElement' ? (node.value as { raw: string }).raw : node.type === 'Literal' ? node.value : undefined;
  if (typeof raw === 'string') return /\p{L}{2,} \p{L}{2,}/u.test(raw) ? [raw] : [];
  const inside = node.type === 'Attribute' && !READ.test(String(node.name)) ? 2 : least;
  const children = Object.values(node).flatMap((it): unknown[] => (Array.isArray(it) ? it : [it]));
  return children.filter(isNode).flatMap((it) => textsIn(it, inside));
}

function textsOf(file: string): string[] {
  const source = readFileSync(join(SOURCES, file), 'utf8');
  const markup = file.endsWith('.svelte') ? source : `<script lang="ts">${source}</script>`;
  return textsIn(parse(markup, { modern: true }) as unknown as Node).map((text) => `${file}: ${text}`);
}

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(svelte|ts)$/.test(file) && !/\.test\.ts$|\.d\.ts$|^texts/.test(file));
const folders = [...new Set(files.map((file) => (file.includes('/') ? (file.split('/')[0] ?? '') : 'app')))];

test.each(folders)('nothing that people read is written in the folder %s', (folder) => {
  const own = files.filter((file) => (file.includes('/') ? file.startsWith(`${folder}/`) : folder === 'app'));
  expect(own.flatMap(textsOf)).toEqual([]);
});

/** Texts without what is put into them, by where they stand. */
function leaves(texts: object, path = ''): [string, unknown][] {
  return Object.entries(texts).flatMap(([key, it]: [string, unknown]): [string, unknown][] =>
    typeof it === 'object' && it !== null ? leaves(it, `${path}.${key}`) : [[`${path}.${key}`, it]],
  );
}

test('French has every text that English has, in French', () => {
  const [english, other] = [{ ...en, agreement: AGREEMENT.en }, { ...fr, agreement: AGREEMENT.fr }];
  const french = new Map(leaves(other));
  const same = leaves(english).filter(([path, text]) => typeof text === 'string' && words(text).length > 2 && french.get(path) === text);
  expect(same.map(([path]) => path)).toEqual([]);
  expect([...french.keys()].sort()).toEqual(leaves(english).map(([path]) => path).sort());
});

test('a language is the one chosen, else the first that the browser asks for, else English', () => {
  expect(readLanguage('fr', ['en-GB'])).toBe('fr');
  expect(readLanguage(null, ['de-DE', 'fr-CH', 'en'])).toBe('fr');
  expect(readLanguage('xx', ['de'])).toBe('en');
});
