/** Never yields: only from outside can its process be ended. */
for (;;);
