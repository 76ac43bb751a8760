// node apps/simulation/test/stress-engine.ts [lever vectors] [seed]: senseless levers in senseless
// worlds; ends with 1 when something that must hold did not. Acceptance asks for 1,000,000.
import { playAtRandom } from './play-at-random.ts';

const [vectors = '1000000', seed = '1'] = process.argv.slice(2);
const play = playAtRandom({ vectors: Number(vectors), seed: Number(seed) });
process.stdout.write(`${JSON.stringify(play, null, 2)}\n`);
process.exitCode = play.faults.length > 0 ? 1 : 0;
