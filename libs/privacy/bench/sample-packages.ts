import { basename, extname } from 'node:path';
import { createRandom, type Random } from '../training/random.ts';
import { hashText } from '../training/examples.ts';
import {
  isCodeFile,
  isJsonFile,
  isProseFile,
  readPackages,
  readText,
  type Package,
} from './read-packages.ts';

export type PackageRow = {
  kind: 'code' | 'json' | 'prose';
  language: string;
  /** Package name. Splits into training and test data never separate the rows of one package. */
  group: string;
  text: string;
};

const PER_PACKAGE = { code: 8, json: 12, prose: 6 } as const;
const LINES = 20;
const PROSE_CHARS_MIN = 80;
const PROSE_CHARS_MAX = 1200;
const JSON_CHARS_MAX = 6000;

/** Samples texts from the files of installed packages. The same seed yields the same sample. */
export const samplePackages = (modules: string, seed: number): PackageRow[] =>
  readPackages(modules).flatMap((entry) => {
    const random = createRandom(seed ^ hashText(entry.name));
    return [
      ...sampleCode(entry, random),
      ...sampleJson(entry, random),
      ...sampleProse(entry, random),
    ].filter(({ text }) => !mentionsPeople(text));
  });

const PEOPLE = new RegExp(
  [
    String.raw`[\w.]@[\w-]+\.\w|©|\(c\)|github\.com/[\w-]+\)`,
    String.raw`\b(?:copyright|authors?|authored|contributors?|maintain\w*|licen[sc]e[sd]?|thanks)\b`,
    String.raw`\b(?:credits?|sponsors?|invented|inspired|creator)\b`,
    String.raw`\b(?:written|created|developed) by\b|\bby [A-Z]`,
    String.raw`(?<![\w/])@[a-z][\w-]*(?=[\s,.)]*(?:$|and|for|in\b))`,
  ].join('|'),
  'im',
);

const mentionsPeople = (text: string): boolean => PEOPLE.test(text);

const sampleCode = ({ name, files }: Package, random: Random): PackageRow[] =>
  sampleOf(files.filter(isCodeFile), PER_PACKAGE.code, random).flatMap((path) => {
    const lines = readText(path).split('\n');
    if (lines.some((line) => line.length > 500)) return [];
    const from = random.integerBelow(Math.max(1, lines.length - LINES));
    const text = lines.slice(from, from + LINES).join('\n');
    return text.trim().length < 40
      ? []
      : [{ kind: 'code' as const, language: extname(path).slice(1), group: name, text }];
  });

const PEOPLE_KEYS = new Set(['author', 'authors', 'contributors', 'maintainers', 'bugs']);

const sampleJson = ({ name, files }: Package, random: Random): PackageRow[] => {
  const json = files.filter(isJsonFile);
  const manifest = json.filter((path) => basename(path) === 'package.json').slice(0, 1);
  const others = sampleOf(
    json.filter((path) => !manifest.includes(path)),
    PER_PACKAGE.json,
    random,
  );
  return [...manifest, ...others].flatMap((path) => {
    const text = withoutPeople(readText(path), random);
    const language = manifest.includes(path) ? 'manifest' : 'document';
    return text === undefined ? [] : [{ kind: 'json' as const, language, group: name, text }];
  });
};

const withoutPeople = (text: string, random: Random): string | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const stripped = JSON.stringify(
    value,
    (key, member: unknown) => (PEOPLE_KEYS.has(key) || key === 'license' ? undefined : member),
    2,
  );
  if (stripped.length > JSON_CHARS_MAX) return sampleMembers(value, random);
  return stripped.length < 20 ? undefined : stripped;
};

const sampleMembers = (value: unknown, random: Random): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  const from = random.integerBelow(Math.max(1, entries.length - LINES));
  const members = entries.slice(from, from + LINES);
  const text = JSON.stringify(
    Array.isArray(value)
      ? members.map(([, member]) => member as unknown)
      : Object.fromEntries(members),
    null,
    2,
  );
  return text.length > JSON_CHARS_MAX ? undefined : text;
};

const sampleProse = ({ name, files }: Package, random: Random): PackageRow[] => {
  const pages = sampleOf(files.filter(isProseFile), 2, random).flatMap((path) =>
    sectionsOf(readText(path)),
  );
  const comments = sampleOf(files.filter(isCodeFile), 6, random).flatMap((path) =>
    commentsOf(readText(path)),
  );
  return [...sampleOf(pages, PER_PACKAGE.prose, random), ...sampleOf(comments, 3, random)].map(
    (text) => ({
      kind: 'prose' as const,
      language: 'en',
      group: name,
      text,
    }),
  );
};

const isLong = (text: string): boolean =>
  text.length >= PROSE_CHARS_MIN &&
  text.length <= PROSE_CHARS_MAX &&
  /[a-z]+ [a-z]+ [a-z]+/.test(text);

const sectionsOf = (page: string): string[] =>
  page
    .replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '')
    .split(/^(?=#)/m)
    .map((text) => text.replaceAll(/\n{3,}/g, '\n\n').trim())
    .filter(isLong);

const commentsOf = (code: string): string[] =>
  [...code.matchAll(/\/\*\*[\s\S]*?\*\//g)]
    .map(([text]) =>
      text
        .slice(3, -2)
        .replaceAll(/^[ \t]*\* ?/gm, '')
        .replaceAll(/^@\w+.*$/gm, '')
        .trim(),
    )
    .filter(isLong);

const sampleOf = <T>(items: readonly T[], count: number, random: Random): T[] =>
  random.shuffle([...items]).slice(0, count);
