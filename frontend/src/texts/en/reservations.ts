export const reservations = {};
