/** How the two books stand, over all workspaces. */
export type BookState = {
  /** Workspaces with a chain, and the certificates in the longest and in all of them. */
  chains: number;
  heightMax: number;
  certificates: number;
  /** Reservations that have not ended, and those of them whose time is over. */
  held: number;
  overdue: number;
};
