import type { Lists } from './lists.ts';
import type { Random } from './random.ts';

export type Noise = Record<
  'word' | 'capital' | 'identifier' | 'hex' | 'number' | 'acronym',
  () => string
>;

const UNITS = 'id ms at key ref url min max sha md5 v1 v2 db ip ts uid utf8 sha1 http api ui'.split(
  ' ',
);

const ACRONYMS = (
  'ATM PIN PDF CEO CTO HR FAQ ID PII GDPR API URL SMS VAT TAX OTP CVV ETA FYI ASAP DIY ' +
  'GPS TV CPU GPU RAM SSD USB LED HTML CSS XML CSV AWS S3 VM SQL SDK IDE PR QA UX UI ' +
  'KPI ROI B2B SaaS IBAN BIC SSN DOB EUR USD GBP AM PM MRI ECG ICU DNA HIV OK NOT AND ' +
  'THE ALL NEW ISO RFC UTC GMT UUID JWT CLI GUI TCP UDP SSH REST CRUD ORM MVC YAML TOML ' +
  'ASCII UTF ACID DAG DOM EOF FIFO LRU POSIX REPL SOAP SLA SLO OKR NDA ERP CRM EBIT SWOT ' +
  'RACI MVP WCAG IEEE ANSI BSD MIT GNU LLM RAG OCR TTS'
).split(' ');

export const createNoise = (lists: Lists, { pick, chance, integerBelow }: Random): Noise => {
  const words = lists.commonCapital.map((word) => word.toLowerCase());
  const word = (): string => (chance(0.12) ? pick(UNITS) : pick(words));
  const capital = (): string => pick(lists.commonCapital);
  const identifier = (): string => {
    const roll = integerBelow(5);
    if (roll === 0) return word() + capital();
    if (roll === 1) return `${word()}_${word()}`;
    if (roll === 2) return `${word()}_${pick(UNITS)}`;
    if (roll === 3) return word() + pick(['Id', 'At', 'Url', 'Count', 'Type', 'Key', 'Map']);
    return word();
  };
  const digits = (count: number): string =>
    Array.from({ length: count }, () => integerBelow(10)).join('');
  const hex = (): string =>
    Array.from({ length: pick([8, 12, 16, 32, 40, 64]) }, () => integerBelow(16).toString(16)).join(
      '',
    );
  const number = (): string => {
    const roll = integerBelow(6);
    if (roll === 0) return `${1 + integerBelow(99)},${digits(3)},${digits(3)}`;
    if (roll === 1) return `${1 + integerBelow(99)}.${digits(3)},${digits(2)}`;
    if (roll === 2) return `${1 + integerBelow(9)} ${digits(3)} ${digits(3)},${digits(2)}`;
    if (roll === 3) return `${integerBelow(99)}.${digits(1 + integerBelow(9))}`;
    return roll === 4 ? `$${digits(3)}.${digits(2)}` : digits(1 + integerBelow(10));
  };
  const acronym = (): string => pick(ACRONYMS);
  return { word, acronym, capital, identifier, hex, number };
};
