// npm run privacy:measure -- [--data FOLDER] [--peers FOLDER] [--write]: prints the tables of the
// README, and writes them there.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readMeasureConfig } from '../src/cli/config.ts';
import { reportSpans } from '../src/cli/report-spans.ts';
import { detectStructured } from '../src/detect-structured.ts';
import { createDetector, createMasker, createRestorer } from '../src/index.ts';
import { countViolations } from './count-violations.ts';
import { openPeers } from './open-peers.ts';
import type { Contender } from './open-peers.ts';
import { readData } from './read-data.ts';
import type { Document, EvaluationData, Prediction } from './read-data.ts';
import { measureGrowth } from './measure-growth.ts';
import { measureRate } from './measure-rate.ts';
import { countFalseMasks } from './count-false-masks.ts';
import { countTouched } from './count-touched.ts';
import { samplePackages } from './sample-packages.ts';
import { writeSection } from './write-section.ts';

/** Corpora that are alike, as the design names them. */
const GROUPS: readonly (readonly [name: string, corpora: readonly string[]])[] = [
  ['template text', ['presidio_v1', 'presidio_v2']],
  ['logs, JSON, CSV', ['piianon_en', 'piianon_xx']],
  ['free English text', ['wikigold', 'wnut17', 'btc']],
  ['loan agreements (never trained on)', ['sec']],
  ['German court decisions', ['ler_de']],
];

/** The worst of the hostile texts. */
const GROWTHS_TOLD = 3;

const STRUCTURED = ['EMAIL', 'PHONE', 'CREDIT_CARD', 'IBAN', 'NATIONAL_ID', 'TAX_ID', 'IP', 'URL'];

const { values } = parseArgs({
  options: { data: { type: 'string' }, peers: { type: 'string' }, write: { type: 'boolean' } },
});
/** The seed of the measured rows; training takes those of another. */
const SEED = 2;
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const lines: string[] = [];
const config = readMeasureConfig();
const folder = values.data ?? config.data;
if (folder === undefined) {
  process.stderr.write('Name the folder that holds pii/: --data FOLDER or WITAN_SHARED_DATA.\n');
  process.exitCode = 2;
} else {
  const data = await readData(folder);
  const detect = createDetector();
  const ours = {
    name: '@witan/privacy',
    detect: (text: string) => reportSpans(text, detect(text)),
  };
  const contenders = [ours, ...openPeers(values.peers ?? config.peers)];
  tell('| | documents | F1 overlap | F1 exact | leak % | false mask % |');
  tell('| --- | --: | --: | --: | --: | --: |');
  for (const contender of contenders) tellQuality(data, contender);
  tell('');
  tell('Names of ours are in-sample: the shipped weights have seen these rows, but for the loan');
  tell('agreements. Figures of unseen folds: libs/privacy/training/cross-validate.ts.');
  tell('');
  tell('| prompts in which nobody is named | texts | touched | by PERSON or ADDRESS |');
  tell('| --- | --: | --: | --: |');
  for (const one of countFalseMasks(detect))
    tell(`| ${[one.category, one.texts, one.touched, one.asPerson].join(' | ')} |`);
  tell('');
  tell('| rows of installed packages in which nobody is named | rows | touched by names | % |');
  tell('| --- | --: | --: | --: |');
  for (const { kind, rows, touched } of countTouched(samplePackages(modules, SEED), detect))
    tell(`| ${[kind, rows, touched, percent(touched / rows)].join(' | ')} |`);
  tell('');
  tell('| | clean documents touched | MB/s, PII-dense | MB/s, ordinary text |');
  tell('| --- | --: | --: | --: |');
  for (const contender of contenders) tellCost(data, contender);
  tellOwnRates(data);
  tell('');
  const texts = data.documents.map(({ text }) => text);
  for (const { name, ratio, seconds } of measureGrowth(detect).slice(0, GROWTHS_TOLD)) {
    tell(
      `1 MB of ${name}: ${ratio.toFixed(1)} times 128 KB (8 is linear), ${seconds.toFixed(2)} s.`,
    );
  }
  tell(`Violations of restore over ${texts.length} documents: ${countViolations(texts, detect)}.`);
  if (values.write === true) writeSection('measure', lines);
}

function tell(line: string): void {
  lines.push(line);
  process.stdout.write(`${line}\n`);
}

function predict(documents: readonly Document[], { detect }: Contender): Map<string, Prediction> {
  return new Map(documents.map(({ id, text }) => [id, { id, spans: detect(text) }]));
}

function tellQuality({ documents, evaluate }: EvaluationData, contender: Contender): void {
  const predictions = predict(documents, contender);
  const tellRow = (name: string, some: readonly Document[], types?: readonly string[]): void => {
    const result = evaluate(some, predictions, types === undefined ? {} : { types });
    const { overlap, exact } = result.micro;
    const shares = [overlap.f1, exact.f1, result.leak_rate, result.false_mask_rate];
    const cells = [`${contender.name}: ${name}`, result.docs, ...shares.map(percent)];
    tell(`| ${cells.join(' | ')} |`);
  };
  const ofCorpora = (corpora: readonly string[]): Document[] =>
    documents.filter(({ corpus }) => corpora.includes(corpus));
  const withIds = GROUPS.slice(0, 2).flatMap(([, corpora]) => corpora);
  tellRow('structured classes', ofCorpora(withIds), STRUCTURED);
  for (const [name, corpora] of GROUPS) tellRow(name, ofCorpora(corpora));
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** PII-dense: synthetic logs and records. Ordinary: Wikipedia, tweets and court decisions. */
function textsOf({ documents }: EvaluationData): { dense: string[]; ordinary: string[] } {
  const ofCorpora = (corpora: readonly string[]): string[] =>
    documents.filter(({ corpus }) => corpora.includes(corpus)).map(({ text }) => text);
  return {
    dense: ofCorpora(['piianon_en', 'presidio_v1', 'presidio_v2']),
    ordinary: ofCorpora(['wikigold', 'btc', 'ler_de']),
  };
}

function tellCost(data: EvaluationData, { name, detect }: Contender): void {
  const touched = data.negatives.filter(({ text }) => detect(text).length > 0).length;
  const { dense, ordinary } = textsOf(data);
  const rates = [dense, ordinary].map((texts) => measureRate(texts, detect).toFixed(2));
  tell(`| ${[name, `${touched} of ${data.negatives.length}`, ...rates].join(' | ')} |`);
}

function lookAtEach(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at) & 7;
  return sum;
}

/** What detection, masking and restoring cost by themselves. */
function tellOwnRates(data: EvaluationData): void {
  const detect = createDetector();
  const key = new Uint8Array(32).fill(1);
  const { dense, ordinary } = textsOf(data);
  const runs: readonly (readonly [name: string, run: (text: string) => unknown])[] = [
    // What this machine can do at best: everything else is to be read beside it.
    ['a loop that looks at every character', lookAtEach],
    ['structured only', detectStructured],
    [
      'detect, mask and restore',
      (text) => {
        const masker = createMasker({ key, detect });
        return createRestorer(masker.table).restore(masker.mask(text));
      },
    ],
  ];
  for (const [name, run] of runs) {
    const rates = [dense, ordinary].map((texts) => measureRate(texts, run).toFixed(2));
    tell(`| ${['@witan/privacy: ' + name, '', ...rates].join(' | ')} |`);
  }
}
