interface Counting {
  readonly version: string;
  readonly pool: string;
  readonly circle: { readonly early: number; readonly partner: Counting };
  next(): number;
  connection(make: () => unknown): unknown;
  loadModule(): Promise<{ readonly default: () => number; readonly sameLibrary: boolean; readonly url: string }>;
  requireModule(): { readonly default: () => number; readonly sameLibrary: boolean; readonly url: string };
}

declare const counting: Counting;
export = counting;
