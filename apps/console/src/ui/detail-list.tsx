import type { ReactNode } from 'react';
import css from './page.module.css';

/** A list of names and values. */
export const DetailList = ({ children }: { children: ReactNode }) => (
  <dl className={css.details}>{children}</dl>
);

type DetailProps = { name: string; note?: ReactNode; children: ReactNode };

/** One row of a DetailList; `note` explains the value. */
export const Detail = ({ name, note, children }: DetailProps) => (
  <>
    <dt>{name}</dt>
    <dd>
      {children}
      {note !== undefined && <span className={css.note}>{note}</span>}
    </dd>
  </>
);
