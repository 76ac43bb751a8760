import { readFileSync } from 'node:fs';

const readTemplates = (name: string): readonly string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(String.raw`\n`, '\n'));

/**
 * Sentences, forms and records with places for values, written for this training: `{P}` a person,
 * `{G}` given name, `{S}` surname, `{A}` address, `{T}` street, `{Z}` postal code, `{C}` place,
 * `{O}` organisation. No names are `{J}` a job, `{E}` e-mail, `{N}` phone, `{D}` date, `{#}`
 * digits, `{n}` a number, `{w}`, `{W}`, `{Y}` words, `{i}` an identifier, `{X}` an acronym, `{h}`
 * hex, `{K}` a product, and names that name nobody here: `{V}` of a law or an algorithm, `{B}` of
 * a bot. A number after a letter means the same value again.
 */
export const TEMPLATES = readTemplates('templates.txt');

/** Texts without any name, among them much that is capitalised. */
export const NOTHING = readTemplates('nothing.txt');

/** What people and programs ask of language models, without any name; `## ` lines are titles. */
export const PROMPTS = readTemplates('prompts.txt').filter((line) => !/^## [a-z]+$/.test(line));

/** Names of products, technologies and models. */
export const PRODUCTS = readTemplates('products.txt').flatMap((line) => line.split('|'));
