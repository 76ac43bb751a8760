import { createRequire } from 'node:module';
import type { GoldSpan } from './evaluation.ts';

export type Contender = { name: string; detect: (text: string) => readonly GoldSpan[] };

/**
 * Loads the compared PII detectors that are installed in `folder`; they are not dependencies of
 * this repository.
 */
export function openPeers(folder: string | undefined): Contender[] {
  if (folder === undefined) return [];
  const load: (name: string) => unknown = createRequire(`${folder}/node_modules/`);
  return [
    ...openPeer('redact-pii', () => createRedactPii(load('redact-pii') as RedactPii)),
    ...openPeer('compromise', () => createCompromise(load('compromise') as Compromise)),
  ];
}

function openPeer(name: string, create: () => Contender['detect']): Contender[] {
  try {
    return [{ name, detect: create() }];
  } catch (error) {
    process.stderr.write(`${name} is not measured: ${String(error)}\n`);
    return [];
  }
}

type RedactPii = { SyncRedactor: new () => { redact(text: string): string } };

const REDACT_LABELS: Readonly<Record<string, string>> = {
  CREDIT_CARD_NUMBER: 'CREDIT_CARD',
  STREET_ADDRESS: 'ADDRESS',
  ZIPCODE: 'ZIP',
  PHONE_NUMBER: 'PHONE',
  IP_ADDRESS: 'IP',
  US_SOCIAL_SECURITY_NUMBER: 'NATIONAL_ID',
  EMAIL_ADDRESS: 'EMAIL',
  USERNAME: 'USERNAME',
  PASSWORD: 'SECRET',
  CREDENTIALS: 'SECRET',
  DIGITS: 'OTHER_ID',
  URL: 'URL',
  PERSON_NAME: 'PERSON',
};

/**
 * Returns a detector that derives spans from redacted text, the only output of redact-pii: a span
 * ends where the text after its label is found in the original.
 */
function createRedactPii({ SyncRedactor }: RedactPii): Contender['detect'] {
  const redactor = new SyncRedactor();
  const labels = new RegExp(`(${Object.keys(REDACT_LABELS).join('|')})`);
  return (text) => {
    const parts = redactor.redact(text).split(labels);
    const spans: GoldSpan[] = [];
    let offset = parts[0]?.length ?? 0;
    for (let index = 1; index < parts.length; index += 2) {
      const label = parts[index] as string;
      const literal = parts[index + 1] as string;
      const isLast = index + 2 >= parts.length;
      const found = isLast ? text.length - literal.length : text.indexOf(literal, offset + 1);
      const end = Math.max(found, offset + 1);
      const isOriginal = text.startsWith(label + literal, offset);
      if (!isOriginal) spans.push({ start: offset, end, type: REDACT_LABELS[label] as string });
      offset = (isOriginal ? offset + label.length : end) + literal.length;
    }
    return spans;
  };
}

type Compromise = (text: string) => Record<string, () => CompromiseView>;
type CompromiseView = {
  json(options: object): { offset: { start: number; length: number } }[];
};

const COMPROMISE_VIEWS: Readonly<Record<string, string>> = {
  people: 'PERSON',
  places: 'LOCATION',
  organizations: 'ORG',
  emails: 'EMAIL',
  phoneNumbers: 'PHONE',
  urls: 'URL',
};

function createCompromise(parse: Compromise): Contender['detect'] {
  return (text) => {
    const parsed = parse(text);
    return Object.entries(COMPROMISE_VIEWS).flatMap(([view, type]) =>
      (parsed[view]?.().json({ offset: true }) ?? []).map(({ offset }) => ({
        start: offset.start,
        end: offset.start + offset.length,
        type,
      })),
    );
  };
}
