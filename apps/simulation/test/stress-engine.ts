// Usage: node apps/simulation/test/stress-engine.ts [lever vectors] [seed]
// Exits with 1 if arbitrary levers in arbitrary worlds break an invariant. Acceptance requires
// 1,000,000 vectors.
import { playAtRandom } from './play-at-random.ts';

const [vectors = '1000000', seed = '1'] = process.argv.slice(2);
const play = playAtRandom({ vectors: Number(vectors), seed: Number(seed) });
process.stdout.write(`${JSON.stringify(play, null, 2)}\n`);
process.exitCode = play.failures.length > 0 ? 1 : 0;
