import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import css from './page.module.css';

type PageProps = {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  /** True for pages of text and forms, whose lines would be too long on wide screens. */
  isNarrow?: boolean;
  /** True for pages of columns, which use the whole width of wide screens. */
  isWide?: boolean;
  children: ReactNode;
};

/**
 * The frame of every page: sets the document's title, and moves the focus to the heading, so that
 * screen readers read it after a navigation.
 */
export const Page = (props: PageProps) => {
  const { title, intro, actions, isNarrow = false, isWide = false, children } = props;
  const width = isNarrow ? css.narrow : isWide ? css.wide : '';
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Witan`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={`${css.page} ${width}`}>
      <header className={css.head}>
        <div className={css.title}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p className={css.intro}>{intro}</p>}
        </div>
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
};

type SectionProps = {
  title?: string;
  intro?: ReactNode;
  actions?: ReactNode;
  /** True if the content reaches the edges, for a table. */
  isFlush?: boolean;
  children: ReactNode;
};

export const Section = ({ title, intro, actions, isFlush = false, children }: SectionProps) => (
  <section className={`${css.section} ${isFlush ? css.flush : ''}`}>
    {title !== undefined && (
      <div className={css.head}>
        <div className={css.title}>
          <h2>{title}</h2>
          {intro !== undefined && <p className={css.intro}>{intro}</p>}
        </div>
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </div>
    )}
    {children}
  </section>
);
