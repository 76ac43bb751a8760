import { readFileSync } from 'node:fs';

const readTemplates = (name: string): readonly string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(String.raw`\n`, '\n'));

/**
 * Sentences, forms and records with slots for values. Names: `{P}` person, `{G}` given name, `{S}`
 * surname, `{A}` address, `{T}` street, `{Z}` postal code, `{C}` place, `{O}` organisation. Not
 * names: `{J}` job, `{E}` e-mail, `{N}` phone, `{D}` date, `{#}` digits, `{n}` number, `{w}`,
 * `{W}`, `{Y}` words, `{i}` identifier, `{X}` acronym, `{h}` hex, `{K}` product, `{V}` eponym of a
 * law or an algorithm, `{B}` name of a bot. A digit after the letter repeats the same value.
 */
export const TEMPLATES = readTemplates('templates.txt');

export const NAMELESS_TEXTS = readTemplates('nothing.txt');

/** Typical prompts without names. Lines such as `## code` are headings and are dropped. */
export const PROMPTS = readTemplates('prompts.txt').filter((line) => !/^## [a-z]+$/.test(line));

export const PRODUCTS = readTemplates('products.txt').flatMap((line) => line.split('|'));
