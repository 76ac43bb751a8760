import { callApi } from '../call-api.ts';
import { findApi } from '../find-api.ts';
import { UsageError } from '../usage.ts';

const PATH = '/v1/ledger/balance';

type Balance = { available: number; held: number; posted: number; unit: string; metering: string };

export const runBalance = async (argv: readonly string[]): Promise<number> => {
  const unknown = argv.find((word) => word !== '--json');
  if (unknown !== undefined) throw new UsageError(`witan balance takes --json, not ${unknown}.`);
  const answer = (await callApi(await findApi(), PATH)) as { balance?: Balance };
  if (!answer.balance) throw new Error(`The answer to GET ${PATH} holds no balance.`);
  const text = argv.includes('--json')
    ? JSON.stringify(answer, undefined, 2)
    : toLines(answer.balance).join('\n');
  process.stdout.write(`${text}\n`);
  return 0;
};

const toLines = ({ available, held, posted, unit, metering }: Balance): string[] => [
  `available  ${available} ${unit}`,
  `held       ${held} ${unit}`,
  `posted     ${posted} ${unit}`,
  `metering   ${metering}`,
];
