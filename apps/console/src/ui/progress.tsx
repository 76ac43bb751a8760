import { Label } from 'react-aria-components/Label';
import { ProgressBar as AriaProgressBar } from 'react-aria-components/ProgressBar';
import css from './progress.module.css';

type ProgressProps = { label: string; value: number; max: number; shown: string };

/** How much of a long work is done; `shown` says it in words. */
export const Progress = ({ label, value, max, shown }: ProgressProps) => (
  <AriaProgressBar
    className={css.progress}
    value={value}
    maxValue={Math.max(max, 1)}
    valueLabel={shown}
  >
    {({ percentage = 0 }) => (
      <>
        <span className={css.head}>
          <Label>{label}</Label>
          <span>{shown}</span>
        </span>
        <span className={css.track}>
          <span className={css.fill} style={{ width: `${percentage}%` }} />
        </span>
      </>
    )}
  </AriaProgressBar>
);
