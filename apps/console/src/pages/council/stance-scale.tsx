import css from './council.module.css';
import { labelOf, stepOf, STEPS } from './stance.ts';
import type { Position } from './stance.ts';

type StanceScaleProps = {
  number: number;
  proposition: string;
  position: Position;
  /** True while the answer is awaited, when its stance is not known. */
  isPending: boolean;
};

/** The stance of an agent on one proposition, with its stance in the round before if it moved. */
export const StanceScale = (props: StanceScaleProps) => {
  const { number, proposition, position, isPending } = props;
  const { stance, before } = position;
  const hasMoved = stance !== undefined && before !== undefined && stance !== before;
  const text = stance !== undefined ? labelOf(stance) : isPending ? '…' : 'No stance';
  return (
    <li className={css.scaleRow} title={proposition}>
      <span className={css.issueNumber} aria-hidden="true">
        {number}
      </span>
      <span className={css.scale} aria-hidden="true">
        {STEPS.map(({ value }, step) => (
          <span
            key={value}
            className={css.step}
            data-now={stance !== undefined && stepOf(stance) === step ? '' : undefined}
            data-before={hasMoved && stepOf(before) === step ? '' : undefined}
          />
        ))}
      </span>
      <span className={css.scaleText}>
        <span className="visually-hidden">Proposition {number}: </span>
        {text}
        {hasMoved && <span className="visually-hidden">, before: {labelOf(before)}</span>}
      </span>
    </li>
  );
};
