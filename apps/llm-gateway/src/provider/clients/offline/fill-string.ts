import type { Schema } from './resolve-schema.ts';
import { samplePattern } from './sample-pattern.ts';
import type { Hint, ValueFinder } from './value-finder.ts';

const MAX_STRING_CHARACTERS = 20_000;

// Numbers of repetitions to try in this order, until a sample reaches `minLength`.
const REPEATS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1_000] as const;

export const NOT_STATED = 'Not stated (answered offline, without a model)';

// Matches only days that exist in every year, so not 29 February.
const DAY =
  '\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|' +
  '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const HOST = '(?:[A-Za-z0-9-]{1,63}\\.){1,4}[A-Za-z]{2,24}';
const MAILBOX = '[A-Za-z0-9_+-]{1,64}(?:\\.[A-Za-z0-9_+-]{1,64}){0,4}';
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';

// Pattern of each format in running text, and a sample if the text has none: reserved example names
// and addresses (RFC 2606, RFC 5737, RFC 3849), the epoch, the nil UUID.
const FORMATS: Readonly<Record<string, { form: RegExp; sample: string }>> = {
  'date-time': {
    form: new RegExp(`\\b${DAY}T${CLOCK}(?:\\.\\d{1,9})?(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d)`, 'u'),
    sample: '1970-01-01T00:00:00Z',
  },
  date: { form: new RegExp(`\\b${DAY}\\b`, 'u'), sample: '1970-01-01' },
  time: { form: new RegExp(`\\b${CLOCK}Z`, 'u'), sample: '00:00:00Z' },
  duration: { form: /\bP\d{1,6}[DWMY]\b/u, sample: 'P0D' },
  email: {
    form: new RegExp(`\\b${MAILBOX}@${HOST}\\b`, 'u'),
    sample: 'nobody@example.com',
  },
  uri: {
    form: /\bhttps?:\/\/[A-Za-z0-9./?#&=_%~:-]{0,500}[A-Za-z0-9/]/u,
    sample: 'https://example.com/',
  },
  hostname: { form: new RegExp(`\\b${HOST}\\b`, 'u'), sample: 'example.com' },
  ipv4: {
    form: new RegExp(`\\b(?:${OCTET}\\.){3}${OCTET}\\b`, 'u'),
    sample: '192.0.2.1',
  },
  ipv6: { form: /(?!)/u, sample: '2001:db8::1' },
  uuid: {
    form: /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/iu,
    sample: '00000000-0000-0000-0000-000000000000',
  },
};

/**
 * Returns a text for a string schema: from its `pattern`, else its `format`, else the finder,
 * fitted to `minLength` and `maxLength` in code points. Undefined if none can be made, or if the
 * property is optional and the text states none.
 */
export function fillString(schema: Schema, hint: Hint, finder: ValueFinder): string | undefined {
  const minimum = asLength(schema['minLength'], 0);
  const maximum = asLength(schema['maxLength'], MAX_STRING_CHARACTERS);
  if (minimum > maximum) return undefined;
  const fits = (text: string): boolean => {
    const length = [...text].length;
    return length >= minimum && length <= maximum;
  };
  const { pattern, format } = schema;
  if (typeof pattern === 'string') {
    if (!hint.isRequired) return undefined;
    return samplesOf(pattern).find(fits);
  }
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) {
    const samples = [finder.findPattern(known.form), hint.isRequired ? known.sample : undefined];
    return samples.find((sample) => sample !== undefined && fits(sample));
  }
  const found = finder.findText(hint) ?? (hint.isRequired ? NOT_STATED : undefined);
  return found === undefined ? undefined : fitLength(found, minimum, maximum);
}

export function isSampleOf(pattern: string, text: string): boolean {
  return samplesOf(pattern).includes(text);
}

function samplesOf(pattern: string): string[] {
  return REPEATS.flatMap((repeats) => samplePattern(pattern, repeats) ?? []);
}

function fitLength(text: string, minimum: number, maximum: number): string {
  const short = [...text].slice(0, maximum).join('');
  const length = [...short].length;
  if (length >= minimum) return short;
  if (length === 0) return '-'.repeat(minimum);
  const repeated = `${short} `.repeat(Math.ceil(minimum / (length + 1)));
  return [...repeated].slice(0, minimum).join('');
}

function asLength(value: unknown, fallback: number): number {
  return typeof value === 'number' && value >= 0
    ? Math.min(value, MAX_STRING_CHARACTERS)
    : fallback;
}
