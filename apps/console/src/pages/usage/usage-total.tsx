import type { ReactNode } from 'react';
import { formatCost, formatCount } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import type { Usage } from './usage-query.ts';
import css from './usage.module.css';

/** A number with its name and what it means. */
export const Figure = (props: { name: string; note?: ReactNode; children: ReactNode }) => (
  <div className={css.figure}>
    <dt>{props.name}</dt>
    <dd>
      <span className={css.value}>{props.children}</span>
      {props.note !== undefined && <span className={css.note}>{props.note}</span>}
    </dd>
  </div>
);

export const UsageTotal = ({ total }: { total: Usage['total'] }) => (
  <Section>
    <dl className={css.figures}>
      <Figure
        name="Tokens"
        note={
          `${formatCount(total.promptTokens)} prompt, ` +
          `${formatCount(total.completionTokens)} completion`
        }
      >
        {formatCount(total.totalTokens)}
      </Figure>
      <Figure name="Calls">{formatCount(total.calls)}</Figure>
      <Figure name="Cost" note={describeUnpriced(total)}>
        {total.cost === null ? 'No price' : formatCost(total.cost)}
      </Figure>
    </dl>
  </Section>
);

/** Says how many calls the cost leaves out, because their models have no price. */
export const describeUnpriced = ({
  calls,
  unpricedCalls,
}: Pick<Usage['total'], 'calls' | 'unpricedCalls'>): string | undefined => {
  if (unpricedCalls === 0) return undefined;
  if (unpricedCalls === calls) return 'No model that ran has a price';
  const share = `${formatCount(unpricedCalls)} of ${formatCount(calls)}`;
  return `Without ${share} calls, which have no price`;
};
