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

/** A text of an installed package in which nobody is named. */
export type PackageRow = {
  kind: 'code' | 'json' | 'prose';
  language: string;
  /** The package: rows of one package are never on both sides of a split. */
  group: string;
  text: string;
};

/** Rows of each kind that are taken of one package at most. */
const PER_PACKAGE = { code: 8, json: 2, prose: 6 } as const;
const LINES = 20;
const PROSE_CHARS_MIN = 80;
const PROSE_CHARS_MAX = 1200;
const JSON_CHARS_MAX = 6000;

/** Rows of the packages installed in `modules`; the same packages and seed give the same rows. */
export const samplePackages = (modules: string, seed: number): PackageRow[] =>
  readPackages(modules).flatMap((one) => {
    const random = createRandom(seed ^ hashText(one.name));
    return [
      ...sampleCode(one, random),
      ...sampleJson(one, random),
      ...sampleProse(one, random),
    ].filter(({ text }) => !namesPeople(text));
  });

/** Words that stand beside names of people, and e-mail addresses. */
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

const namesPeople = (text: string): boolean => PEOPLE.test(text);

const sampleCode = ({ name, files }: Package, random: Random): PackageRow[] =>
  take(files.filter(isCodeFile), PER_PACKAGE.code, random).flatMap((path) => {
    const lines = readText(path).split('\n');
    if (lines.some((line) => line.length > 500)) return [];
    const from = random.below(Math.max(1, lines.length - LINES));
    const text = lines.slice(from, from + LINES).join('\n');
    return text.trim().length < 40
      ? []
      : [{ kind: 'code' as const, language: extname(path).slice(1), group: name, text }];
  });

/** Members of manifests that name people. */
const PEOPLE_KEYS = new Set(['author', 'authors', 'contributors', 'maintainers', 'bugs']);

const sampleJson = ({ name, files }: Package, random: Random): PackageRow[] => {
  const json = files.filter(isJsonFile);
  const manifest = json.filter((path) => basename(path) === 'package.json').slice(0, 1);
  const others = take(
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
    return undefined; // JSON with comments is measured as code where it has an extension of code.
  }
  const kept = JSON.stringify(
    value,
    (key, one: unknown) => (PEOPLE_KEYS.has(key) || key === 'license' ? undefined : one),
    2,
  );
  if (kept.length > JSON_CHARS_MAX) return partOf(value, random);
  return kept.length < 20 ? undefined : kept;
};

/** Some members of a document that is too long as a whole. */
const partOf = (value: unknown, random: Random): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  const from = random.below(Math.max(1, entries.length - LINES));
  const some = entries.slice(from, from + LINES);
  const text = JSON.stringify(
    Array.isArray(value) ? some.map(([, one]) => one as unknown) : Object.fromEntries(some),
    null,
    2,
  );
  return text.length > JSON_CHARS_MAX ? undefined : text;
};

const sampleProse = ({ name, files }: Package, random: Random): PackageRow[] => {
  const pages = take(files.filter(isProseFile), 2, random).flatMap((path) =>
    sectionsOf(readText(path)),
  );
  const comments = take(files.filter(isCodeFile), 6, random).flatMap((path) =>
    commentsOf(readText(path)),
  );
  return [...take(pages, PER_PACKAGE.prose, random), ...take(comments, 3, random)].map((text) => ({
    kind: 'prose' as const,
    language: 'en',
    group: name,
    text,
  }));
};

const isLong = (text: string): boolean =>
  text.length >= PROSE_CHARS_MIN &&
  text.length <= PROSE_CHARS_MAX &&
  /[a-z]+ [a-z]+ [a-z]+/.test(text);

/** The sections of a Markdown page, its code left out. */
const sectionsOf = (page: string): string[] =>
  page
    .replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '')
    .split(/^(?=#)/m)
    .map((text) => text.replaceAll(/\n{3,}/g, '\n\n').trim())
    .filter(isLong);

/** The texts of documentation comments, without their marks. */
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

const take = <T>(from: readonly T[], count: number, random: Random): T[] =>
  random.shuffle([...from]).slice(0, count);
