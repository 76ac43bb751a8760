import { hashSet } from './word-hash.ts';

export const WORDS_AFTER_PHONE: ReadonlySet<number> = hashSet(
  `office fax home work cell mobile phone tel telephone landline ext extension handy mobil privat
   büro buero oficina casa móvil movil bureau domicile portable ufficio cellulare kantoor thuis`,
);
