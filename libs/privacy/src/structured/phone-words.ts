import { hashSet } from './word-hash.ts';

/** Words after a phone number: `751-954-9268-Fax`, `(mobile)`. */
export const WORDS_AFTER_PHONE: ReadonlySet<number> = hashSet(
  `office fax home work cell mobile phone tel telephone landline ext extension handy mobil privat
   büro buero oficina casa móvil movil bureau domicile portable ufficio cellulare kantoor thuis`,
);
