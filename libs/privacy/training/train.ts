/**
 * Trains and writes the shipped weights, reproducibly: `npm run train -w @witan/privacy [--
 * FOLDER]`. FOLDER contains the evaluation data.
 */
import { writeFileSync } from 'node:fs';
import { samplePackages } from '../bench/sample-packages.ts';
import { trainOn } from './assemble.ts';
import { dataFolder, NODE_MODULES } from '../src/cli/config.ts';
import { readEvaluation } from '../bench/evaluation.ts';
import { encodeWeights } from './encode-weights.ts';
import { readLists } from './lists.ts';

const OUT = new URL('../src/gen/name-weights.ts', import.meta.url);

const started = performance.now();
const { rows, corpora } = await readEvaluation(dataFolder(process.argv[2]));
const lists = readLists(new URL('gazetteers.json', import.meta.url));
const nameless = samplePackages(NODE_MODULES, 1).map((row) => row.text);
const weights = trainOn({ rows, corpora, lists, nameless }, console.log);
const text = encodeWeights(weights);
writeFileSync(OUT, text);
const seconds = (performance.now() - started) / 1000;
console.log(`${(text.length / 1000).toFixed(0)} kB in ${seconds.toFixed(0)} s`);
