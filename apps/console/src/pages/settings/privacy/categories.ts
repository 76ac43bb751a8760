import type { components } from '../../../gen/api.ts';
import type { Workspace } from '../workspace-query.ts';

export type Privacy = Workspace['privacy'];
export type Category = NonNullable<components['schemas']['Privacy']['categories']>[number];

const LABELS: Readonly<Record<Category, string>> = {
  PERSON: 'Names of persons',
  EMAIL: 'E-mail addresses',
  PHONE: 'Phone numbers',
  ADDRESS: 'Postal addresses',
  LOCATION: 'Places',
  ORG: 'Organisations',
  DATE_OF_BIRTH: 'Dates of birth',
  NATIONAL_ID: 'National ids',
  TAX_ID: 'Tax ids',
  PASSPORT: 'Passports',
  DRIVER_LICENSE: 'Driving licences',
  CREDIT_CARD: 'Credit cards',
  IBAN: 'IBANs',
  BANK_ACCOUNT: 'Bank accounts',
  IP: 'IP addresses',
  MAC: 'MAC addresses',
  URL_CREDENTIALS: 'Passwords in URLs',
  CRYPTO: 'Crypto addresses',
  SECRET: 'Keys and secrets',
};

/** All categories in the order of the API, with their labels. */
export const CATEGORIES = Object.entries(LABELS).map(([value, label]) => ({
  value: value as Category,
  label,
}));

export const describeCategory = (category: string): string =>
  LABELS[category as Category] ?? category;
