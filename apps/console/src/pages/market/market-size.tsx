import type { CSSProperties } from 'react';
import { Badge } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { formatAmount, formatPercent, formatShare, positionInRange } from './figures.ts';
import type { Analysis } from './market-query.ts';
import css from './market.module.css';

type Size = Analysis['marketSize'];

const METHODS: Readonly<Record<Size['method'], string>> = {
  top_down: 'From a larger market down',
  bottom_up: 'From customers and prices up',
  unknown: 'Not stated',
};

/** The size of the market with its range, or why there is no figure. */
export const MarketSize = ({ size }: { size: Size }) => {
  const { value, description, unit, currency } = size;
  return (
    <Section title="Market size" actions={<Badge>Confidence {formatShare(size.confidence)}</Badge>}>
      {value === null ? (
        <p>{description ?? 'The model gave no figure.'}</p>
      ) : (
        <div className={css.size}>
          <p>
            <strong className={css.figure}>{formatAmount(value, currency)}</strong>{' '}
            {unit !== null && <span className="muted">{unit}</span>}
          </p>
          <Range size={size} />
          {description !== null && <p>{description}</p>}
        </div>
      )}
      <Facts size={size} />
    </Section>
  );
};

const Range = ({ size }: { size: Size }) => {
  const position = positionInRange(size);
  if (position === undefined) return null;
  const { low, high, currency } = size;
  const [from, to] = [formatAmount(low!, currency), formatAmount(high!, currency)];
  return (
    <div className={css.range}>
      <span>
        <span className="visually-hidden">Range from </span>
        {from}
      </span>
      <span
        className={css.scale}
        style={{ '--at': `${position * 100}%` } as CSSProperties}
        aria-hidden="true"
      />
      <span>
        <span className="visually-hidden"> to </span>
        {to}
      </span>
    </div>
  );
};

const Facts = ({ size }: { size: Size }) => {
  const { region, year, cagrPct, method, currency, tam, sam, som } = size;
  const amountOf = (amount: number | null | undefined) =>
    amount == null ? undefined : formatAmount(amount, currency);
  const facts = [
    ['Region', region],
    ['Year', year === null ? null : String(year)],
    ['Growth a year', cagrPct === null ? null : formatPercent(cagrPct)],
    ['Method', METHODS[method]],
    ['Whole market', amountOf(tam)],
    ['Within reach', amountOf(sam)],
    ['To win', amountOf(som)],
  ] as const;
  return (
    <dl className={css.facts}>
      {facts.map(
        ([name, text]) =>
          text != null && (
            <div key={name} className={css.fact}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
    </dl>
  );
};
