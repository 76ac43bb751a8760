import { detectStructured } from '../src/detect-structured.ts';
import { fillTemplates, varyCase, varyTemplate, varyText } from './augment.ts';
import { insertName } from './insert-names.ts';
import type { Corpora, Row } from '../bench/evaluation.ts';
import { exampleOf, groupOf, type Example } from './examples.ts';
import { listWords, PROMPTS } from './lists.ts';
import type { Lists } from './lists.ts';
import { learn, quantise, type Recipe } from './learn.ts';
import { createRandom } from './random.ts';
import { createValues } from './fill-template.ts';
import { lineFormOf, LINE_FORM } from '../src/block/line-kind.ts';
import type { NameWeights } from '../src/name/weights.ts';

const RECIPE: Recipe = {
  rows: 65_536,
  epochs: 5,
  margin: 2,
  missMargin: 9,
  models: 4,
  share: 0.7,
};
const SEED = 20_250_101;

type Sources = {
  rows: readonly Row[];
  corpora: Corpora;
  lists: Lists;
  prompts?: readonly string[];
  nameless?: readonly string[];
};

/**
 * Trains the weights on labelled rows and variants of them, on filled templates, and on texts
 * without names.
 */
export const trainOn = (
  { rows, corpora, lists, prompts = PROMPTS, nameless = [] }: Sources,
  report: (line: string) => void = () => {},
  recipe = RECIPE,
): NameWeights => {
  const random = createRandom(SEED);
  const values = createValues(lists, random);
  const templates = new Map<string, Example[]>();
  const texts: Example[] = [];
  for (const row of rows.filter(({ corpus }) => corpus !== 'sec')) {
    const example = exampleOf(row, corpora[row.corpus]?.types ?? []);
    if (!/^(presidio|piianon)/.test(row.corpus)) texts.push(example);
    else {
      const group = groupOf(row);
      templates.set(group, [...(templates.get(group) ?? []), example]);
    }
  }
  const textsWithNames = texts.filter(({ names }) => names.length > 0);
  const clean = nameless.map((text) => namelessExample(text));
  const insertNames = (examples: readonly Example[], times: number): Example[] =>
    Array.from({ length: times }, () =>
      examples
        .map((example) => insertName(example, values, random))
        .filter((example, index) => example !== examples[index])
        .map((example) => varyCase(example, random)),
    ).flat();
  const allExamples = [
    ...texts,
    ...texts,
    ...textsWithNames.map((example) => varyText(example, values, random)),
    ...[...templates.values()].flatMap((group) => [
      ...group.slice(0, 12),
      ...varyTemplate(group, 16, values, random),
    ]),
    ...fillTemplates(20, prompts, values, random),
    ...clean,
    ...insertNames(
      clean.filter(({ text }) => isProse(text)),
      1,
    ),
    ...insertNames(texts, 2),
    ...[...templates.values()].flatMap((group) => insertNames(group.slice(0, 6), 1)),
  ];
  const gazetteer = listWords(lists, [...texts, ...[...templates.values()].flat()], clean);
  return quantise(learn(allExamples, gazetteer, recipe, random, report));
};

const namelessExample = (text: string): Example => ({
  text,
  names: [],
  taken: detectStructured(text),
  free: [],
  unknown: [],
});

const isProse = (text: string): boolean =>
  text.split('\n').every((line) => {
    const form = lineFormOf(line);
    return (
      form === LINE_FORM.prose ||
      form === LINE_FORM.blank ||
      form === LINE_FORM.unclear ||
      form === LINE_FORM.comment
    );
  });
