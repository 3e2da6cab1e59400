package org.lockstorm.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Test
  void readsEveryKindOfValue() {
    Map<String, Object> read =
        Json.parse(" {\"a\": [1, -2.5, true, null, \"\\u00e9\\n\\\"\"], \"b\": {}, \"c\": 123456789012345678} ");
    assertEquals(Arrays.asList(1L, -2.5, true, null, "é\n\""), read.get("a"));
    assertEquals(Map.of(), read.get("b"));
    assertEquals(123456789012345678L, read.get("c"));
  }

  @Test
  void writesWhatItReads() {
    Map<String, Object> message = Map.of("text", "\"\\\n\u0001é漢", "nested", Map.of("n", 1.5));
    assertEquals(message, Json.parse(Json.write(message)));
    assertEquals(List.of(), Json.write(message).chars().filter(letter -> letter < ' ' || letter > '~').boxed().toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{} x", "{\"a\":\"", "{\"a\":nul}", "{\"a\":\"\\u12\"}"})
  void refusesWhatIsNoObject(String line) {
    assertThrows(IllegalArgumentException.class, () -> Json.parse(line));
  }
}
