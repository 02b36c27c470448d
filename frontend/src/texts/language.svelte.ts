// The language of the page. English is always there; another one is read where it is chosen. What the service says stays as it is.

import { en } from './en';

/** What a language has to have. */
export type Texts = typeof en;

/** Languages by their codes: what they call themselves, how they write numbers and dates, and where their texts are. */
const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB', read: () => Promise.resolve(en) },
  fr: { name: 'Français', locale: 'fr-FR', read: async () => (await import('./fr')).fr },
} satisfies Record<string, { name: string; locale: string; read: () => Promise<Texts> }>;

export type LanguageCode = keyof typeof LANGUAGES;

/** Where the choice is kept on a device. */
const KEPT = 'wattbook-language';

const isCode = (text: string): text is LanguageCode => Object.hasOwn(LANGUAGES, text);

/** The first language that somebody reads and the page has. */
export function readLanguage(kept: string | null, wanted: readonly string[]): LanguageCode {
  const codes = [kept ?? '', ...wanted.map((tag) => tag.slice(0, 2).toLowerCase())];
  return codes.find(isCode) ?? 'en';
}

let code = $state<LanguageCode>('en');
let texts = $state.raw<Texts>(en);
/** The language that was wanted last. */
let latest: LanguageCode = 'en';
let unread = $state<LanguageCode | null>(null);

export const language = {
  /** All languages, by code and name. */
  all: Object.entries(LANGUAGES).map(([id, { name }]) => ({ id: id as LanguageCode, name })),

  get code() {
    return code;
  },
  /** As `Intl` knows it. */
  get locale() {
    return LANGUAGES[code].locale;
  },
  /** What the page says, by the folder that says it. */
  get texts() {
    return texts;
  },

  /** What a language calls itself. */
  nameOf(wanted: LanguageCode) {
    return LANGUAGES[wanted].name;
  },
  /** The language that was wanted last, where its texts could not be read; the page is in the one before. */
  get unread() {
    return unread;
  },

  /** Shows the page in a language, unless its texts cannot be read or another is wanted meanwhile; whether it is shown. */
  async show(wanted: LanguageCode): Promise<boolean> {
    latest = wanted;
    const read = await LANGUAGES[wanted].read().catch(() => null);
    if (latest !== wanted) return false;
    unread = read ? null : wanted;
    if (!read) return false;
    [texts, code] = [read, wanted];
    document.documentElement.lang = wanted;
    return true;
  },
  /** Shows a language now and, where that went well, whenever the page is opened on this device. */
  async choose(wanted: LanguageCode) {
    if (await this.show(wanted)) localStorage.setItem(KEPT, wanted);
  },
  /** Shows the language that was chosen, or the browser's. */
  async start() {
    await this.show(readLanguage(localStorage.getItem(KEPT), navigator.languages));
  },
};
