import { reportOf, toPage } from './play-report.ts';
import { REPORTED_PLAYS } from './reported-plays.ts';

const names = process.argv.slice(2);
for (const [name, play] of Object.entries(REPORTED_PLAYS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  process.stdout.write(`# ${name}\n\n${toPage(await reportOf(play))}\n`);
}
