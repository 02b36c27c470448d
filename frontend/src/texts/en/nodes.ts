export const nodes = {};
