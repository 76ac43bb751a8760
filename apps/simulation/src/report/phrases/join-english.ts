import { areConsecutive } from './phrases.ts';

export const joinEnglish = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)!}`;

export const quote = (name: string): string => `“${name}”`;

/** Returns "turn 3", "turns 3 and 5" or "turns 3 to 8". */
export const toTurns = (turns: readonly number[]): string =>
  turns.length === 1
    ? `turn ${turns[0]!}`
    : `turns ${
        areConsecutive(turns) ? `${turns[0]!} to ${turns.at(-1)!}` : joinEnglish(turns.map(String))
      }`;

export const toEvent = (code: string, label: string): string => EVENTS[code] ?? label.toLowerCase();

const EVENTS: Readonly<Record<string, string>> = {
  recession: 'a recession',
  supply_shock: 'a supply shock',
  price_war: 'a price war of its competitors',
  regulation: 'new regulation',
  demand_surge: 'a surge of demand',
  talent_shortage: 'a shortage of talent',
  credit_tightening: 'tighter credit',
  cyber_incident: 'a cyber incident',
  key_customer_loss: 'the loss of a key customer',
  liquidity: 'a shortage of cash that made it draw on its credit line',
};
