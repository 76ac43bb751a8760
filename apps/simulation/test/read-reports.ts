import { reportOf, toPage } from './play-report.ts';
import { REPORTED_PLAYS } from './reported-plays.ts';

const wanted = process.argv.slice(2);
for (const [name, play] of Object.entries(REPORTED_PLAYS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`# ${name}\n\n${toPage(await reportOf(play))}\n`);
}
