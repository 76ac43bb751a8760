import type { CallRequest } from './call-request.ts';
import { dialectOf } from './dialects.ts';
import type { DialectName } from './dialects.ts';
import { KEY_VARIABLE } from './sdk-snippets.ts';

export const LANGUAGES = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
} as const;

export type Language = keyof typeof LANGUAGES;

type SnippetSource = { dialect: DialectName; request: CallRequest; baseUrl: string };

/**
 * Returns a program that makes the call. The key is read from the environment variable
 * WITAN_API_KEY, so that no key is copied.
 */
export const toSnippet = (
  language: Language,
  { dialect: name, request, baseUrl }: SnippetSource,
): string => {
  const dialect = dialectOf(name);
  const body = dialect.toBody(request);
  if (language === 'curl') return toCurl(`${baseUrl}${dialect.path}`, body);
  return dialect[language]({ baseUrl, body });
};

const toCurl = (url: string, body: Record<string, unknown>): string =>
  [
    `curl ${body.stream === true ? '--no-buffer ' : ''}${quoteForShell(url)} \\`,
    `  --header "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    `  --header 'Content-Type: application/json' \\`,
    `  --data ${quoteForShell(JSON.stringify(body, undefined, 2))}`,
    '',
  ].join('\n');

/** Nothing has a meaning between single quotes; a quote itself is written outside of them. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
