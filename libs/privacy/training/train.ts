/**
 * Trains and writes the shipped weights, reproducibly: `npm run train -w @witan/privacy [--
 * FOLDER]`. FOLDER contains dev.jsonl and corpora.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { samplePackages } from '../bench/sample-packages.ts';
import { trainOn, type Corpora } from './assemble.ts';
import { dataFolder } from '../bench/config.ts';
import { encodeWeights } from './encode-weights.ts';
import { readRows } from './examples.ts';
import { readLists } from './lists.ts';

const OUT = new URL('../src/gen/name-weights.ts', import.meta.url);

const folder = dataFolder(process.argv[2]);
const started = performance.now();
const corpora = JSON.parse(readFileSync(join(folder, 'corpora.json'), 'utf8')) as Corpora;
const lists = readLists(new URL('gazetteers.json', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const nameless = samplePackages(modules, 1).map((row) => row.text);
const rows = readRows(join(folder, 'dev.jsonl'));
const weights = trainOn({ rows, corpora, lists, nameless }, console.log);
const text = encodeWeights(weights);
writeFileSync(OUT, text);
const seconds = (performance.now() - started) / 1000;
console.log(`${(text.length / 1000).toFixed(0)} kB in ${seconds.toFixed(0)} s`);
