/**
 * Cross-validates the name model: `npm run cross-validate -w @witan/privacy -- [FOLDER [FOLDS
 * [ONLY]]]`. Each fold is scored by a model that was trained on the other folds; rows of one group
 * are in the same fold. Scores include the structured detectors.
 */
import { parseArgs } from 'node:util';
import { readEvaluation, writeSection } from '../bench/evaluation.ts';
import type { Evaluation, Prediction } from '../bench/evaluation.ts';
import { samplePackages } from '../bench/sample-packages.ts';
import { createNameDetector, type NameDetector } from '../src/name/create-name-detector.ts';
import { reportSpans } from '../src/cli/report-spans.ts';
import { detectStructured } from '../src/detect-structured.ts';
import { trainOn } from './assemble.ts';
import { dataFolder, NODE_MODULES } from '../src/cli/config.ts';
import { groupOf, hashText } from './examples.ts';
import { fillTemplate, createValues } from './fill-template.ts';
import { PROMPTS, readLists } from './lists.ts';
import { createRandom } from './random.ts';

const { values: flags, positionals } = parseArgs({
  options: { write: { type: 'boolean' } },
  allowPositionals: true,
});
const [argument, folds = '4', only = folds] = positionals;
const { rows, negatives, corpora, evaluate } = await readEvaluation(dataFolder(argument));
const packages = samplePackages(NODE_MODULES, 1);
const lists = readLists(new URL('gazetteers.json', import.meta.url));
const foldOf = new Map(rows.map((row) => [row.id, hashText(groupOf(row)) % Number(folds)]));

const predictions = new Map<string, Prediction>();

const fillUnseen = (isSeen: (line: string) => boolean, product: string[]): string[] => {
  const random = createRandom(1);
  const values = createValues({ ...lists, product }, random);
  return PROMPTS.filter((prompt) => !isSeen(prompt)).flatMap((template) =>
    Array.from(
      { length: template.includes('{') ? 4 : 1 },
      () => fillTemplate(template, values, random).text,
    ),
  );
};

const totals = new Map<string, { masked: number; texts: number }>();

const printFalseMasks = (title: string, texts: readonly string[], detect: NameDetector): void => {
  const counts: Record<string, number> = {};
  let masked = 0;
  for (const text of texts) {
    const spans = detect(text, detectStructured(text));
    if (spans.length > 0) masked++;
    for (const category of new Set(spans.map((span) => span.category)))
      counts[category] = (counts[category] ?? 0) + 1;
  }
  const parts = Object.entries(counts).map(([category, count]) => `${category} ${count}`);
  console.log(`${title}: ${masked} of ${texts.length} masked (${parts.join(', ')})`);
  const total = totals.get(title) ?? { masked: 0, texts: 0 };
  totals.set(title, { masked: total.masked + masked, texts: total.texts + texts.length });
};

for (let fold = 0; fold < Number(only); fold++) {
  const startedAt = performance.now();
  const train = rows.filter(({ id }) => foldOf.get(id) !== fold);
  const isSeen = (line: string): boolean => hashText(line) % Number(folds) !== fold;
  const seenProducts = lists.product.filter(isSeen);
  const unseenProducts = lists.product.filter((name) => !isSeen(name));
  const detect = createNameDetector(
    trainOn(
      {
        rows: train,
        corpora,
        lists: { ...lists, product: seenProducts },
        prompts: PROMPTS.filter(isSeen),
        nameless: packages.filter(({ group }) => isSeen(group)).map(({ text }) => text),
      },
      fold === 0 ? console.log : undefined,
    ),
  );
  console.log(`fold ${fold}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  for (const row of rows.filter(({ id }) => foldOf.get(id) === fold)) {
    const takenSpans = detectStructured(row.text);
    const spans = [...takenSpans, ...detect(row.text, takenSpans)].toSorted(
      (a, b) => a.start - b.start,
    );
    predictions.set(row.id, { id: row.id, spans: reportSpans(row.text, spans) });
  }
  const clean = negatives.map(({ text }) => text);
  printFalseMasks('documents without names', clean, detect);
  for (const kind of ['code', 'json', 'prose']) {
    const unseen = packages.filter((row) => row.kind === kind && !isSeen(row.group));
    printFalseMasks(
      `${kind} of unseen packages`,
      unseen.map(({ text }) => text),
      detect,
    );
  }
  printFalseMasks('unseen prompts', fillUnseen(isSeen, seenProducts), detect);
  printFalseMasks('unseen prompts and products', fillUnseen(isSeen, unseenProducts), detect);
}

const NAMES = ['PERSON', 'ADDRESS', 'LOCATION', 'ZIP', 'ORG'];
const percent = (part: number): string => (100 * part).toFixed(1).padStart(5);
const print = (title: string, isIncluded: (corpus: string) => boolean): void => {
  const golds = rows.filter(({ id, corpus }) => isIncluded(corpus) && predictions.has(id));
  const overall = evaluate(golds, predictions);
  const names = evaluate(golds, predictions, NAMES);
  const row = ({ micro: { overlap, exact }, leak_rate, false_mask_rate }: Evaluation): string =>
    `overlap P${percent(overlap.p)} R${percent(overlap.r)} F1${percent(overlap.f1)} ` +
    `exact F1${percent(exact.f1)} leak${percent(leak_rate)} false mask${percent(false_mask_rate)}`;
  console.log(`${title.padEnd(14)} names ${row(names)}\n${''.padEnd(14)} core  ${row(overall)}`);
  const types = Object.entries(names.per_type).map(
    ([type, { overlap }]) =>
      `${type} P${percent(overlap.p)} R${percent(overlap.r)} F${percent(overlap.f1)}`,
  );
  console.log(`${''.padEnd(14)} ${types.join(' | ')}`);
};
for (const corpus of Object.keys(corpora)) print(corpus, (name) => name === corpus);
print('template', (name) => name.startsWith('presidio'));
print('logs', (name) => name.startsWith('piianon'));
print('free', (name) => ['wikigold', 'wnut17', 'btc'].includes(name));

const GROUPS: readonly (readonly [title: string, corpora: RegExp])[] = [
  ['template text (presidio v1, v2)', /^presidio/],
  ['logs, JSON, CSV (pii-anon)', /^piianon/],
  ['free English (wikigold, wnut17, btc)', /^(?:wikigold|wnut17|btc)$/],
  ['German court decisions (ler_de)', /^ler_de$/],
  ['loan agreements (sec)', /^sec$/],
];

const tableOfCorpora = GROUPS.map(([title, corpus]) => {
  const golds = rows.filter((row) => corpus.test(row.corpus) && predictions.has(row.id));
  const { micro, leak_rate, false_mask_rate } = evaluate(golds, predictions);
  const cells = [micro.overlap.f1, micro.exact.f1, leak_rate, false_mask_rate].map((part) =>
    percent(part).trim(),
  );
  return `| ${[title, ...cells].join(' | ')} |`;
});

const tableOfMasked = [...totals].map(([title, { masked, texts }]) => {
  const share = percent(masked / texts).trim();
  return `| ${[title, texts, masked, share].join(' | ')} |`;
});

if (flags.write === true) {
  writeSection('cross-validate', [
    '| corpora, unseen folds | F1 overlap | F1 exact | leak % | false mask % |',
    '| --- | --: | --: | --: | --: |',
    ...tableOfCorpora,
    '',
    '| texts without names, unseen folds | texts | with masked names | % |',
    '| --- | --: | --: | --: |',
    ...tableOfMasked,
  ]);
}
