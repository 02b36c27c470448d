// What a simulation was asked to play, as a list of names and values.

import { language } from '../texts/language.svelte';
import { policyName, type Simulation } from './results';
import { whole } from '../units/format';

function valueWords(value: unknown): string {
  const texts = language.texts.simulate.experiment;
  if (Array.isArray(value)) return value.length > 5 ? texts.manyGiven(whole(value.length)) : value.map(valueWords).join(', ');
  if (value !== null && typeof value === 'object') return texts.given;
  return value === 'site' ? texts.ofSite : String(value);
}

/** Each part of the experiment that was said. */
export function experimentRows({ experiment }: Simulation): [string, string][] {
  const { policies, parameters, ...others } = experiment as Record<string, unknown>;
  const texts = language.texts.simulate.experiment;
  const parts: Record<string, string> = texts.parts;
  const named = (name: string) => parts[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
  const members = (of: unknown) => Object.entries((of ?? {}) as Record<string, unknown>);
  const nested = ['files', 'vary'];
  const plain = Object.entries(others).filter(([name]) => name !== 'name' && name !== 'tables' && !nested.includes(name));
  const all = [...members(parameters), ...nested.flatMap((name) => members(others[name])), ...plain];
  const rows = all.flatMap(([name, value]): [string, string][] => (value == null ? [] : [[named(name), valueWords(value)]]));
  return Array.isArray(policies) ? [[texts.policies, policies.map((it) => policyName(String(it))).join('; ')], ...rows] : rows;
}
