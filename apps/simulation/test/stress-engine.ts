// node apps/simulation/test/stress-engine.ts [lever vectors] [seed]: plays arbitrary levers in
// arbitrary worlds; exits with 1 if an invariant breaks. Acceptance requires 1,000,000.
import { playAtRandom } from './play-at-random.ts';

const [vectors = '1000000', seed = '1'] = process.argv.slice(2);
const play = playAtRandom({ vectors: Number(vectors), seed: Number(seed) });
process.stdout.write(`${JSON.stringify(play, null, 2)}\n`);
process.exitCode = play.failures.length > 0 ? 1 : 0;
