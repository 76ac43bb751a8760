import { hashSet } from './word-hash.ts';

/** Words right behind a number that say it is a telephone: `751-954-9268-Fax`, `(mobile)`. */
export const AFTER_PHONE: ReadonlySet<number> = hashSet(
  `office fax home work cell mobile phone tel telephone landline ext extension handy mobil privat
   büro buero oficina casa móvil movil bureau domicile portable ufficio cellulare kantoor thuis`,
);
