import { Copyable } from '../../ui/copyable.tsx';
import { Detail, DetailList } from '../../ui/detail-list.tsx';
import { formatCount } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { MAIN_FIELDS, MORE_FIELDS } from './company-form.ts';
import { formatShare } from './figure.ts';
import type { FormatMoney } from './figure.ts';
import type { Simulation } from './simulations-query.ts';
import css from './simulations.module.css';

const MONEY: ReadonlySet<string> = new Set([
  'revenue',
  'cash',
  'burn',
  'debt',
  'marketSize',
  'price',
]);

const LABELS: Readonly<Record<string, string>> = {
  sector: 'Sector',
  currency: 'Currency',
  description: 'What it does',
};

type CompanyStartProps = { simulation: Simulation; formatMoney: FormatMoney };

/** Where the company began, what was assumed, and what makes the numbers reproducible. */
export const CompanyStart = ({ simulation, formatMoney }: CompanyStartProps) => {
  const { companyBase, assumptions, seed, modelVersion } = simulation;
  return (
    <Section title="Start of the company">
      <DetailList>
        {Object.entries(companyBase).map(([name, value]: [string, unknown]) => {
          const field = [...MAIN_FIELDS, ...MORE_FIELDS].find((one) => one.name === name);
          return (
            <Detail key={name} name={field?.label ?? LABELS[name] ?? name} note={field?.hint}>
              {describeValue(name, value, formatMoney)}
            </Detail>
          );
        })}
        <Detail name="Seed" note="The same seed and decisions give the same states.">
          <Copyable text={String(seed)} name="seed" />
        </Detail>
        <Detail name="Model" note="Version of the numeric model that computes the states.">
          {modelVersion}
        </Detail>
      </DetailList>
      {assumptions.length > 0 && (
        <details className={css.more}>
          <summary>{formatCount(assumptions.length)} assumptions</summary>
          <ul>
            {assumptions.map((assumption) => (
              <li key={assumption}>{assumption}</li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
};

const describeValue = (name: string, value: unknown, formatMoney: FormatMoney): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  if (name === 'marketShare') return formatShare(value);
  return MONEY.has(name) ? formatMoney(value) : new Intl.NumberFormat().format(value);
};
