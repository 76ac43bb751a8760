import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Drawer } from './dialog.tsx';
import css from './side-list.module.css';

/** The classes of a link in a SideList, which contains a SideEntry. */
export const sideLinkClass = css.entry;

type SideListProps = {
  label: string;
  /** Above the entries: a heading or a button. */
  head: ReactNode;
  /** Shown instead of entries if there are none. */
  none: string;
  /** Links, each in an `li`. */
  entries: readonly ReactNode[];
  /** Loads older entries, if there are some. */
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
};

/** A list of links beside the page that they open, newest first. */
export const SideList = ({ label, head, none, entries, onMore, isLoadingMore }: SideListProps) => (
  <nav className={css.list} aria-label={label}>
    {head}
    {entries.length === 0 && <p className={css.none}>{none}</p>}
    <ul className={css.entries}>{entries}</ul>
    {onMore && (
      <Button kind="quiet" isPending={isLoadingMore} onPress={onMore}>
        Show older
      </Button>
    )}
  </nav>
);

export const SideTitle = ({ children }: { children: ReactNode }) => (
  <h2 className={css.title}>{children}</h2>
);

/** Title and note of an entry; a long title is cut after two lines. */
export const SideEntry = ({ title, note }: { title: string; note: ReactNode }) => (
  <>
    <span className={css.entryTitle}>{title}</span>
    <span className={css.entryNote}>{note}</span>
  </>
);

type SideDrawerProps = {
  label: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
};

/** A SideList on screens that are too narrow to have it beside the page. */
export const SideDrawer = ({ children, ...props }: SideDrawerProps) => (
  <Drawer {...props}>
    <div className={css.drawer}>{children}</div>
  </Drawer>
);
